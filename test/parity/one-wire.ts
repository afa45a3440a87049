import type { Reply, Sender, Sent } from '../../src/exchange/client/transport.ts';
import { OPERATION_TABLE } from '../../src/exchange/operations/operation-table.ts';

type Kind = 'order' | 'account' | 'market';

/** Paths of the requests that place or cancel orders. */
const ORDERS: ReadonlySet<string> = new Set(
  Object.values(OPERATION_TABLE).flatMap(({ effect, path }) => (effect === 'order' || effect === 'cancel' ? [path] : [])),
);

interface Waiting {
  readonly kind: Kind;
  deliver(): Promise<void>;
}

/**
 * One wire for all requests: each goes over its socket alone, when it is called for. What is in flight together arrives
 * in any order in earnest; here orders and cancels go first, then what concerns the account, so that a run is the same every time.
 */
export class OneWire implements Sender {
  #waiting: Waiting[] = [];
  requests = 0;

  constructor(private readonly sender: Sender) {}

  send(sent: Sent): Promise<Reply> {
    const kind = ORDERS.has(sent.target) ? 'order' : /\/(ticker|tickers|getHistoryFundRate)(\?|$)/.test(sent.target) ? 'market' : 'account';
    return new Promise((resolve, reject) => {
      const deliver = () => this.sender.send(sent).then(resolve, reject);
      this.#waiting.push({ kind, deliver });
    });
  }

  /** Lets the oldest request of the kind go, and waits for its reply. @returns false where none waits. */
  async deliver(kind: Kind): Promise<boolean> {
    const first = this.#waiting.find((one) => one.kind === kind);
    if (first === undefined) return false;
    this.#waiting = this.#waiting.filter((one) => one !== first);
    this.requests++;
    await first.deliver();
    return true;
  }

  close(): Promise<void> {
    return this.sender.close();
  }
}
