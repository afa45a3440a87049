import type { Book } from '../book.ts';
import type { SimulatedAccount } from '../simulated-account.ts';
import type { ContractBook } from './contract-book.ts';
import type { Liquidator } from './liquidator.ts';
import type { TriggerDesk } from './trigger-desk.ts';

/** Where it is noted that a held position may lack margin. */
export interface MarginFlag {
  marginDue: boolean;
}

/** Follows the prices of contracts: triggers fire, margins are watched, and what lacks margin is liquidated. */
export class ContractDesk {
  constructor(
    private readonly flag: MarginFlag,
    private readonly triggers: TriggerDesk,
    private readonly liquidator: Liquidator,
    private readonly accounts: () => Iterable<SimulatedAccount>,
    /** False: positions that lack margin stay. */
    private readonly liquidates: boolean,
  ) {}

  /** Asked at every price. @param moved False where positions are worth what they were. */
  judge(book: Book, contract: ContractBook, time: number, moved = true): void {
    this.triggers.judge(book, contract, time);
    if (moved && !this.flag.marginDue && this.liquidates && contract.mayLack()) this.flag.marginDue = true;
  }

  /** The first price on the way at which a trigger fires or a margin does not suffice. */
  next(book: Book, from: number, to: number): number | undefined {
    const { contract } = book;
    if (contract === undefined) return undefined;
    const trigger = this.triggers.next(book, contract, from, to);
    const due = this.liquidates ? contract.dueTicks(from, trigger ?? to) : undefined;
    return due ?? trigger;
  }

  noteLack(): void {
    if (this.liquidates) this.flag.marginDue = true;
  }

  liquidate(time: number): void {
    if (this.liquidates) {
      for (const account of this.accounts()) if (account.futures !== undefined) this.liquidator.run(account, account.futures, time);
    }
    this.flag.marginDue = false;
  }
}
