import { wireSymbol } from '../../exchange/symbols.ts';
import type { FuturesAccount } from '../../matching/futures/futures-account.ts';
import type { Instrument } from '../../model/instrument.ts';
import {
  type AccountPicture,
  type CollateralFigures,
  type PositionFigures,
  SHARED,
} from '../../venues/rest/futures/picture/account-picture.ts';

type Position = ReturnType<FuturesAccount['positionRecords']>[number];
type Collateral = ReturnType<FuturesAccount['collateralRecords']>[number];

/**
 * The picture of a simulated account that the exchange would give of one coin: flat positions are not listed.
 * @param last the one before, which is given again where nothing has changed.
 */
export function pictureOfAccount(
  account: FuturesAccount,
  coin: string,
  instruments: readonly Instrument[],
  last: AccountPicture | undefined,
): AccountPicture {
  const version = String(account.version);
  if (last?.version === version) return last;
  return {
    coin,
    version,
    positions: account
      .positionRecords()
      .filter(({ instrument, steps }) => steps !== 0 && instrument.quote === coin && instruments.includes(instrument))
      .map(position),
    collaterals: account
      .collateralRecords()
      .filter(({ currency }) => currency === coin)
      .map(collateral),
  };
}

function position({ instrument, cumulative, ...record }: Position): PositionFigures {
  const { step } = instrument;
  return {
    id: record.positionId,
    born: String(record.createdSequence),
    symbol: wireSymbol(instrument.symbol),
    positionSide: record.positionSide,
    orderId: record.openOrderId ?? '',
    isolated: record.mode === 'isolated',
    steps: record.steps,
    openedSteps: step.floorUnits(cumulative.openQuantity),
    closedSteps: step.floorUnits(cumulative.closeQuantity),
    state: 'listed',
    leverage: record.leverage,
    openValue: record.openValue,
    openFee: record.openFee,
    margin: record.isolatedMargin,
    openedValue: cumulative.openValue,
    openedFee: cumulative.openFee,
    closedValue: cumulative.closeValue,
    closedFee: cumulative.closeFee,
    funding: cumulative.funding,
    liquidationFee: cumulative.liquidationFee,
  };
}

function collateral({ mode, positionId, amount, cumulative }: Collateral): CollateralFigures {
  return { ...cumulative, amount, key: mode === 'isolated' && positionId !== undefined ? positionId : SHARED };
}
