import type { Reply, Sender, Sent } from '../../src/exchange/client/transport.ts';

type Kind = 'account' | 'market';

interface Waiting {
  readonly kind: Kind;
  deliver(): Promise<void>;
}

/**
 * One wire for all requests: each goes over its socket alone, when it is called for. What is in flight together arrives
 * in any order in earnest; here what concerns the account goes first, so that a run is the same every time.
 */
export class OneWire implements Sender {
  #waiting: Waiting[] = [];
  requests = 0;

  constructor(private readonly sender: Sender) {}

  send(sent: Sent): Promise<Reply> {
    const kind = /\/(ticker|tickers)(\?|$)/.test(sent.target) ? 'market' : 'account';
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
