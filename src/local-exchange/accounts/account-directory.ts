import { invariant, TidegateError } from '../../model/errors.ts';
import type { ExchangeAccount } from './exchange-account.ts';

/** Finds accounts by the three names they have. */
export class AccountDirectory {
  readonly #byUid = new Map<string, ExchangeAccount>();
  readonly #byKey = new Map<string, ExchangeAccount>();
  readonly #byName = new Map<string, ExchangeAccount>();

  /** @throws TidegateError CONFIG_INVALID where a uid, key or name is taken. */
  add(account: ExchangeAccount): void {
    const { name, uid, credentials } = account.identity;
    if (this.#byUid.has(uid) || this.#byKey.has(credentials.key) || this.#byName.has(name)) {
      throw new TidegateError('CONFIG_INVALID', `accounts: name, uid and key of "${name}" must each be its own`);
    }
    this.#byUid.set(uid, account);
    this.#byKey.set(credentials.key, account);
    this.#byName.set(name, account);
  }

  get all(): ExchangeAccount[] {
    return [...this.#byUid.values()];
  }

  find(uid: string): ExchangeAccount | undefined {
    return this.#byUid.get(uid);
  }

  /** Of a uid that was checked before. */
  get(uid: string): ExchangeAccount {
    const account = this.#byUid.get(uid);
    invariant(account !== undefined, 'an action names a known account');
    return account;
  }

  withKey(key: string): ExchangeAccount | undefined {
    return this.#byKey.get(key);
  }

  named(name: string): ExchangeAccount | undefined {
    return this.#byName.get(name);
  }

  invitedBy(uid: string): ExchangeAccount[] {
    return this.all.filter(({ inviter }) => inviter === uid);
  }
}
