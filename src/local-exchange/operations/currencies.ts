import type { PayloadOf } from '../../exchange/operations/operations.ts';
import type { PublicCall } from '../http/call.ts';
import type { CoinChain } from '../market/coin.ts';

/** Operation 1: the coins, with the chains of the config. */
export function currencies(_request: unknown, { exchange }: PublicCall): PayloadOf<'currencies'> {
  return exchange.coins.map(({ id, name, transfer, chains }) => ({
    coinId: String(id),
    coinName: name,
    transfer,
    chains: chains.map(chainRecord),
  }));
}

function chainRecord(chain: CoinChain) {
  return {
    chain: chain.chain ?? '',
    needTag: chain.needTag ?? false,
    withdrawAble: chain.withdraw ?? false,
    rechargeAble: chain.deposit ?? false,
    withdrawFee: chain.withdrawFee ?? '0',
    depositConfirm: String(chain.depositConfirmations ?? 0),
    withdrawConfirm: String(chain.withdrawConfirmations ?? 0),
    minDepositAmount: chain.minDeposit ?? '0',
    minWithdrawAmount: chain.minWithdraw ?? '0',
    browserUrl: chain.browserUrl ?? '',
  };
}
