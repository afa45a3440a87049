const KEY = 'Add a config key';

/** Opening orders have a multiple of a lot, for the account or for one strategy. */
export const RISK_RULE = {
  title: 'Add a risk rule',
  change: 'orders.lot: the quantity of an opening order is a multiple of a lot',
  edits: [
    {
      step: 1,
      file: 'src/model/reasons.ts',
      after: '  quantityAboveMaximum: { quantity: string; maximum: string };\n',
      text: '  quantityNotInLots: { quantity: string; lot: string };\n',
    },
    { step: 2, file: 'src/model/refusals.ts', after: "  quantityAboveMaximum: 'final',\n", text: "  quantityNotInLots: 'final',\n" },
    {
      step: 3,
      file: 'src/risk/rules/lot.ts',
      create: `import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** An order that opens has a multiple of the config's lot. */
export const lot: RiskRule = (order, context) => {
  const { steps, instrument } = order;
  const size = context.limits.lot;
  if (size === undefined || steps === undefined || reduces(order, context)) return undefined;
  const quantity = instrument.step.toDecimal(steps);
  return quantity.mod(size).isZero() ? undefined : { code: 'quantityNotInLots', quantity: quantity.toFixed(), lot: size.toFixed() };
};
`,
    },
    {
      step: 4,
      file: 'src/risk/limits.ts',
      after: '  readonly maxNotional?: Decimal | undefined;\n',
      text: '  /** Opening orders have a multiple of this, in base units. */\n  readonly lot?: Decimal | undefined;\n',
    },
    {
      section: KEY,
      step: 1,
      file: 'src/app/config/schema/risk-schema.ts',
      after: "  maxNotional: positiveDecimal.optional().describe('Largest amount of one order, in quote'),\n",
      text: "  lot: positiveDecimal.optional().describe('The quantity of an opening order is a multiple of this, in base'),\n",
    },
    {
      step: 4,
      file: 'src/app/planning/risk-limits.ts',
      replace: "  { priceCollar, maxQuantity, maxNotional }: RiskConfig['orders'],",
      text: "  { priceCollar, maxQuantity, maxNotional, lot }: RiskConfig['orders'],",
    },
    {
      step: 4,
      file: 'src/app/planning/risk-limits.ts',
      after: '    maxNotional: decimal(maxNotional),\n',
      text: '    lot: decimal(lot),\n',
    },
    {
      section: KEY,
      step: 3,
      file: 'test/app/config/every-key.ts',
      replace: 'priceCollar: "0.05", maxQuantity: "2", ',
      text: 'priceCollar: "0.05", lot: "0.004", maxQuantity: "2", ',
    },
    {
      section: KEY,
      step: 3,
      file: 'test/app/config/every-key.ts',
      replace: 'priceCollar: "0.06", maxQuantity: "3", ',
      text: 'priceCollar: "0.06", lot: "0.002", maxQuantity: "3", ',
    },
    {
      step: 5,
      file: 'src/risk/gate.ts',
      after: "import { lossPerTrade } from './rules/loss-per-trade.ts';\n",
      text: "import { lot } from './rules/lot.ts';\n",
    },
    {
      step: 5,
      file: 'src/risk/gate.ts',
      replace: '  notionalLimits,\n  reduceOnly,\n',
      text: '  notionalLimits,\n  lot,\n  reduceOnly,\n',
    },
    { step: 5, file: 'src/risk/gate.ts', before: '    [dataAge, set(limits.maxDataAgeMs)],\n', text: '    [lot, set(limits.lot)],\n' },
    {
      step: 7,
      file: 'test/risk/rules.test.ts',
      before: "  ['notional at the minimum',",
      text: `  ['two lots', () => review(market(), { steps: 6 }, { lot: limit('3') }), 'approved'],
  [
    'two lots and a third',
    () => review(market(), { steps: 7 }, { lot: limit('3') }),
    { code: 'quantityNotInLots', quantity: '7', lot: '3' },
  ],
  ['a close of two lots and a third', () => review(market(7), { side: 'sell', steps: 7 }, { lot: limit('3') }), 'approved'],

`,
    },
    {
      step: 7,
      file: 'docs/reference/risk.md',
      before: "| reduce-only orders reduce their strategy's own position",
      text: '| multiples of a lot * | `orders.lot` | `quantityNotInLots` |\n',
    },
  ],
  writes: ['configs/tidegate.schema.json', 'docs/reference/config.md'],
  tests: [
    { file: 'test/risk/rules.test.ts', name: 'two lots' },
    { file: 'test/app/config/slips.slow.test.ts', name: 'these configs use every key' },
  ],
};
