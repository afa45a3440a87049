import type { SimulatedAccount } from './simulated-account.ts';
import type { WorkingOrder } from './working-order.ts';

/** The live orders of every account, by client order id, each in order of arrival. */
export class WorkingOrders {
  readonly #byAccount = new Map<SimulatedAccount, Map<string, WorkingOrder>>();

  addAccount(account: SimulatedAccount): void {
    this.#byAccount.set(account, new Map());
  }

  get accounts(): IterableIterator<SimulatedAccount> {
    return this.#byAccount.keys();
  }

  of(account: SimulatedAccount): WorkingOrder[] {
    return [...(this.#byAccount.get(account)?.values() ?? [])];
  }

  find(account: SimulatedAccount, clientOrderId: string): WorkingOrder | undefined {
    return this.#byAccount.get(account)?.get(clientOrderId);
  }

  add(order: WorkingOrder): void {
    this.#byAccount.get(order.account)?.set(order.request.clientOrderId, order);
  }

  remove({ account, request }: WorkingOrder): void {
    this.#byAccount.get(account)?.delete(request.clientOrderId);
  }
}
