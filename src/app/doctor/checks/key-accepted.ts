import { wireSymbol } from '../../../exchange/symbols.ts';
import { type Check, ok } from '../check.ts';

export const keyAccepted: Check = {
  id: 'accepted',
  title: 'the exchange takes the keys',
  modes: ['live'],
  needs: ['clock'],
  mend: 'check key, secret, passphrase, the addresses that the key is bound to, and whether the account is frozen',
  async run({ exchange, access, instruments }) {
    const read: string[] = [];
    if (access?.spotBaseUrl !== undefined) {
      await exchange.accountAssets();
      read.push('balances');
    }
    const contract = instruments.find(({ kind }) => kind === 'futures');
    if (contract !== undefined) {
      await exchange.futuresOrders({ symbol: wireSymbol(contract.symbol) });
      read.push('futures orders');
    }
    return ok(`${read.join(' and ')} can be read`);
  },
};
