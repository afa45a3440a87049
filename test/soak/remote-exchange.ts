import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { FaultSettings } from '../../src/local-exchange/faults.ts';
import type { WireReply } from '../../src/local-exchange/http/answering.ts';
import type { Markets } from '../faults/exchange-side.ts';
import type { Arrive } from '../faults/link.ts';
import type { RemoteExchange } from '../faults/world.ts';

const ANSWER_MS = 60_000;

/** What the exchange's thread is started with. */
export interface SoakData {
  readonly seed: number;
  readonly markets: Omit<Markets, 'margin'>;
  readonly faults: Partial<FaultSettings>;
  readonly stateFile: string;
  readonly port: MessagePort;
  /** Counts what came through the port. */
  readonly turn: SharedArrayBuffer;
}

/** What it is asked: time goes on to `time` (epoch ms) first. */
export type Asked =
  | {
      readonly time: number;
      readonly operation: string;
      readonly request: { readonly body: Uint8Array };
      readonly fate: ReadonlyMap<string, number>;
    }
  | { readonly time: number };

/**
 * An exchange with a heap of its own, so that the bot's can be measured alone. It goes in step: the bot's thread stands
 * still until it is answered, as no simulated time passes meanwhile.
 */
export class ExchangeThread implements RemoteExchange {
  readonly arrive: Arrive;
  readonly #flag: Int32Array<SharedArrayBuffer>;

  private constructor(
    private readonly worker: Worker,
    private readonly port: MessagePort,
    private readonly now: () => number,
    turn: SharedArrayBuffer,
    readonly credentials: RemoteExchange['credentials'],
  ) {
    this.#flag = new Int32Array(turn);
    this.arrive = (operation, request, fate) => this.#ask<WireReply>({ time: this.now(), operation: operation.name, request, fate });
  }

  /** @param program the bundled worker. @param now of the bot's clock. */
  static async start(program: string, data: Omit<SoakData, 'turn' | 'port'>, now: () => number): Promise<ExchangeThread> {
    const turn = new SharedArrayBuffer(4);
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(program, { workerData: { ...data, turn, port: port2 }, transferList: [port2] });
    const [credentials] = (await once(worker, 'message')) as [RemoteExchange['credentials']];
    return new ExchangeThread(worker, port1, now, turn, credentials);
  }

  /** Ends the thread; its state file is whole then. */
  async close(): Promise<void> {
    this.#ask({ time: this.now() });
    this.port.close();
    await this.worker.terminate();
  }

  #ask<Reply>(asked: Asked): Reply {
    const before = Atomics.load(this.#flag, 0);
    this.port.postMessage(asked);
    // The notice of the answer before may come late, and wake this wait.
    for (;;) {
      const woken = Atomics.wait(this.#flag, 0, before, ANSWER_MS);
      const received = receiveMessageOnPort(this.port) as { message: Reply } | undefined;
      if (received !== undefined) return received.message;
      if (woken === 'timed-out') throw new Error('the thread of the exchange is gone');
    }
  }
}
