// Copies of Tidegate's own rules, as a user would write them.

import type {
  ChargedFill,
  Decimal,
  FeeModel,
  LatencyMessage,
  LatencyModel,
  LimitModel,
  PathModel,
  PathStep,
  RestingOrder,
  SlippageModel,
  TakerFill,
} from 'tidegate';

export class Spread implements SlippageModel {
  readonly bySize = false;

  slippageTicks({ spreadTicks }: TakerFill): number {
    return 0.5 * spreadTicks;
  }
}

export class VolumeShare implements SlippageModel {
  slippageTicks({ volumeShare, priceTicks }: TakerFill): number {
    return 0.1 * volumeShare ** 2 * priceTicks;
  }
}

export class SquareRoot implements SlippageModel {
  readonly days = 1;

  slippageTicks({ rootImpact, priceTicks }: TakerFill): number {
    return rootImpact * priceTicks;
  }
}

export class Rates implements FeeModel {
  fee({ amount, liquidity, makerFee, takerFee }: ChargedFill): Decimal {
    return amount.times(liquidity === 'maker' ? makerFee : takerFee);
  }
}

export class Touch implements LimitModel {
  penetrationTicks(_order: RestingOrder): number {
    return 0;
  }
}

export class Penetrate implements LimitModel {
  penetrationTicks(_order: RestingOrder): number {
    return 3;
  }
}

export class HighFirst implements PathModel {
  highFirst(_step: PathStep): boolean {
    return true;
  }
}

export class Nearest implements PathModel {
  highFirst({ highTicks, lowTicks, priceTicks }: PathStep): boolean {
    return highTicks - priceTicks < priceTicks - lowTicks;
  }
}

export class Worst implements PathModel {
  highFirst({ highIsWorse }: PathStep): boolean {
    return highIsWorse;
  }
}

export class Best implements PathModel {
  highFirst({ highIsWorse }: PathStep): boolean {
    return !highIsWorse;
  }
}

export class Constant implements LatencyModel {
  delayMs(_message: LatencyMessage): number {
    return 50;
  }
}

export class Uniform implements LatencyModel {
  readonly delaysPrices = true;

  delayMs({ draw }: LatencyMessage): number {
    return 10 + draw() * 200;
  }
}
