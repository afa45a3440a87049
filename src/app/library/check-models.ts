import { isFee } from '../../matching/models/fees.ts';
import { isPenetration } from '../../matching/models/limits.ts';
import { isDays, isSlippage } from '../../matching/models/slippage.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { Random } from '../../model/random.ts';
import type {
  ChargedFill,
  FeeModel,
  LatencyLeg,
  LatencyModel,
  LimitModel,
  PathModel,
  PathStep,
  RestingOrder,
  SlippageModel,
  TakerFill,
} from '../../ports/models.ts';
import { isDelay } from '../../venues/simulated/latency.ts';

// The rules that the models of users must keep, as checks that a user runs in a test. Each check asks two new instances the same
// questions, because a run that is repeated must give the same result.

const SYMBOL = 'BTC-USDT';
const SIDES = ['buy', 'sell'] as const;
/** A market of one tick, a usual one, and one with many ticks. */
const PRICES = [1, 2_000, 6_543_210];
const QUANTITIES = [1, 7, 1_000, 5_000_000];
/** 2025-01-01 in epoch ms, and times at which something usually changes. */
const TIMES = [0, 1, 59_999, 3_600_000, 86_400_000, 31 * 86_400_000].map((ms) => 1_735_689_600_000 + ms);
const GRID = { tickSize: 0.01, stepSize: 0.00001 };

function fail(what: string, problem: string): never {
  throw new TidegateError('MODEL_FAILED', `${what} model: ${problem}`);
}

/** @throws TidegateError USAGE for an instance or a class: a check needs new instances. */
function requireMaker(what: string, create: unknown): void {
  if (typeof create === 'function' && !/^class\b/.test(String(create))) return;
  throw new TidegateError('USAGE', `${what} model: expected a function that makes a new one, such as \`() => new Mine()\``);
}

/** A question as messages show it, without figures that all questions share. */
function shown(question: object): string {
  return JSON.stringify(question, (_key, value) => (value instanceof Decimal ? value.toFixed() : value));
}

/** Asks two new models the same questions in the same order. @returns the answers of the first one. */
function answers<Model, Question extends object, Answer>(
  what: string,
  create: () => Model,
  questions: readonly Question[],
  ask: (model: Model, question: Question) => Answer,
  allows: (answer: Answer, question: Question) => boolean,
  expected: string,
): Answer[] {
  const [first, second] = [create(), create()];
  return questions.map((question) => {
    const answer = ask(first, question);
    if (!allows(answer, question)) {
      // A promise that nobody awaits would end the process if it is rejected.
      if (answer instanceof Promise) answer.catch(() => {});
      fail(what, `answered ${answer instanceof Promise ? 'a promise' : String(answer)}; expected ${expected}: ${shown(question)}`);
    }
    const again = ask(second, question);
    if (String(again) !== String(answer)) {
      fail(what, `two instances answered ${String(answer)} and ${String(again)}; expected the same: ${shown(question)}`);
    }
    return answer;
  });
}

/**
 * Checks a slippage model: its answers are finite and at least 0, the same for the same fill in any order, and not smaller for a larger
 * quantity.
 * @param create makes a new instance.
 * @throws TidegateError MODEL_FAILED with the broken rule and the fill, USAGE if `create` is no function; an error of the model as it is.
 */
export function checkSlippageModel(create: () => SlippageModel): void {
  requireMaker('slippage', create);
  const what = 'slippage';
  const { days, bySize = true } = create();
  if (days !== undefined && !isDays(days)) fail(what, `days is ${days}; expected a number above 0`);
  const fills = PRICES.flatMap((priceTicks) =>
    SIDES.flatMap((side) =>
      TIMES.flatMap((time, index) =>
        [0, 1, 20].flatMap((spreadTicks) =>
          QUANTITIES.map((steps): TakerFill => {
            const size = steps / QUANTITIES.at(-1)!;
            const figures = index % 2 === 0 ? { volumeShare: size, rootImpact: 0.01 * Math.sqrt(size) } : { volumeShare: 0, rootImpact: 0 };
            return { symbol: SYMBOL, side, steps, priceTicks, spreadTicks, ...figures, ...GRID, time };
          }),
        ),
      ),
    ),
  );
  const ask = (model: SlippageModel, fill: TakerFill) => model.slippageTicks(fill);
  const ticks = answers(what, create, fills, ask, isSlippage, 'a number of ticks of at least 0');
  const backwards = create();
  for (let index = fills.length - 1; index >= 0; index--) {
    const again = ask(backwards, fills[index]!);
    if (again === ticks[index]) continue;
    fail(what, `answered ${ticks[index]}, and ${again} after other fills; expected no memory: ${shown(fills[index]!)}`);
  }
  for (const [index, fill] of fills.entries()) {
    const next = index + 1;
    if (next % QUANTITIES.length === 0) continue;
    const [small, large] = [ticks[index]!, ticks[next]!];
    if (bySize ? large < small : large !== small) {
      const rule = bySize ? 'at least as much' : 'the same, as bySize is false';
      fail(what, `answered ${small} for ${fill.steps} steps and ${large} for ${fills[next]!.steps}; expected ${rule}: ${shown(fill)}`);
    }
  }
}

/**
 * Checks a fee model: its fees are exact decimals of at most 30 places, smaller than the fill, and the same for the same fills in the same
 * order.
 * @param create makes a new instance.
 * @throws TidegateError MODEL_FAILED with the broken rule and the fill, USAGE if `create` is no function; an error of the model as it is.
 */
export function checkFeeModel(create: () => FeeModel): void {
  requireMaker('fee', create);
  const rates = { makerFee: new Decimal('0.0002'), takerFee: new Decimal('0.001') };
  const fills = TIMES.flatMap((time) =>
    PRICES.flatMap((priceTicks) =>
      SIDES.flatMap((side) =>
        (['maker', 'taker'] as const).flatMap((liquidity) =>
          QUANTITIES.map((steps): ChargedFill => {
            const quantity = new Decimal(steps).times('0.00001');
            const notional = quantity.times(priceTicks).times('0.01');
            const base = side === 'buy' ? { amount: quantity, feeAsset: 'BTC' } : { amount: notional, feeAsset: 'USDT' };
            return { symbol: SYMBOL, side, liquidity, priceTicks, steps, quantity, notional, ...base, ...rates, time };
          }),
        ),
      ),
    ),
  );
  answers('fee', create, fills, (model, fill) => model.fee(fill), isFee, 'a Decimal of at most 30 places, smaller than `amount`');
}

/**
 * Checks a model of limit fills: its answers are whole ticks of at least 0, and the same for the same orders in the same order.
 * @param create makes a new instance.
 * @throws TidegateError MODEL_FAILED with the broken rule and the order, USAGE if `create` is no function; an error of the model as it is.
 */
export function checkLimitModel(create: () => LimitModel): void {
  requireMaker('limit', create);
  const orders = TIMES.flatMap((time) =>
    PRICES.flatMap((limitTicks) =>
      SIDES.flatMap((side) =>
        QUANTITIES.flatMap((steps) =>
          [0, 0.3, 0.999].map((chance): RestingOrder => ({ symbol: SYMBOL, side, limitTicks, steps, ...GRID, time, chance })),
        ),
      ),
    ),
  );
  const ask = (model: LimitModel, order: RestingOrder) => model.penetrationTicks(order);
  answers('limit', create, orders, ask, isPenetration, 'a whole number of ticks of at least 0');
}

/**
 * Checks a path model: its answers are true or false, and the same for the same steps in the same order.
 * @param create makes a new instance.
 * @throws TidegateError MODEL_FAILED with the broken rule and the step, USAGE if `create` is no function; an error of the model as it is.
 */
export function checkPathModel(create: () => PathModel): void {
  requireMaker('path', create);
  const bars = [
    { openTicks: 100, highTicks: 110, lowTicks: 95, closeTicks: 104 },
    { openTicks: 100, highTicks: 103, lowTicks: 90, closeTicks: 91 },
    { openTicks: 100, highTicks: 105, lowTicks: 95, closeTicks: 100 },
    { openTicks: 100, highTicks: 100, lowTicks: 100, closeTicks: 100 },
  ];
  const waits = [false, true].flatMap((buyWaits) => [false, true].map((sellWaits) => ({ buyWaits, sellWaits })));
  const steps = bars.flatMap((bar) =>
    TIMES.flatMap((time) =>
      [-5, 0, 5].flatMap((positionSteps) =>
        waits.flatMap((waiting) =>
          [bar.openTicks, bar.highTicks - 1, bar.lowTicks + 1].map((price): PathStep => {
            const priceTicks = Math.min(bar.highTicks, Math.max(bar.lowTicks, price));
            return { symbol: SYMBOL, ...bar, time, priceTicks, positionSteps, ...waiting, highIsWorse: positionSteps < 0, chance: 0.5 };
          }),
        ),
      ),
    ),
  );
  const ask = (model: PathModel, step: PathStep) => model.highFirst(step);
  answers('path', create, steps, ask, (answer: unknown) => typeof answer === 'boolean', 'true or false');
}

/**
 * Checks a latency model: its delays are at least 0 ms, and the same for the same messages of a leg in the same order with the same
 * random numbers.
 * @param create makes a new instance.
 * @throws TidegateError MODEL_FAILED with the broken rule and the message, USAGE if `create` is no function; an error of the model as it is.
 */
export function checkLatencyModel(create: () => LatencyModel): void {
  requireMaker('latency', create);
  const legs: readonly LatencyLeg[] = ['entry', 'cancel', 'response', ...(create().delaysPrices === true ? (['feed'] as const) : [])];
  for (const leg of legs) {
    const drawing = () => {
      const random = new Random(1, leg);
      return { model: create(), draw: () => random.uniform() + 2 ** -33 };
    };
    type Drawing = ReturnType<typeof drawing>;
    const messages = TIMES.flatMap((time) => [time, time, time + 0.25]).map((time) => ({ leg, time }));
    const ask = ({ model, draw }: Drawing, message: (typeof messages)[number]) => model.delayMs({ ...message, draw });
    answers('latency', drawing, messages, ask, isDelay, 'ms of at least 0');
  }
}
