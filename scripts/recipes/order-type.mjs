/** An order that buys where the price falls to a trigger, and sells where it rises to one. */
export const ORDER_TYPE = {
  title: 'Add an order type',
  change: 'marketIfTouched: at market where the price has come as far as wanted',
  edits: [
    {
      step: 1,
      file: 'src/model/order.ts',
      replace: "export type OrderType = 'market' | 'limit' | 'stop' | 'stopLimit'",
      text: "export type OrderType = 'market' | 'limit' | 'stop' | 'stopLimit' | 'marketIfTouched'",
    },
    {
      step: 1,
      file: 'src/model/order.ts',
      after: "  stopLimit: { limit: true, trigger: 'stop' },\n",
      text: "  marketIfTouched: { limit: false, trigger: 'touch' },\n",
    },
    {
      step: 2,
      file: 'src/model/intents.ts',
      replace: '  /** Trigger price: on `stop` and `stopLimit`. */',
      text: '  /** Trigger price: on `stop`, `stopLimit` and `marketIfTouched`. */',
    },
    {
      step: 3,
      file: 'src/model/order.ts',
      replace: "  readonly trigger: 'stop' | undefined;",
      text: "  readonly trigger: 'stop' | 'touch' | undefined;",
    },
    {
      step: 3,
      file: 'src/engine/held/held-orders.ts',
      replace: "      rising: request.side === 'buy',\n      isStop: true,\n",
      text: "      rising: (request.side === 'buy') === isStop(type),\n      isStop: isStop(type),\n",
    },
    {
      step: 3,
      file: 'src/engine/held/held-orders.ts',
      replace: "import { type OrderRequest, opposite } from '../../model/order.ts';",
      text: "import { isStop, type OrderRequest, opposite } from '../../model/order.ts';",
    },
    {
      step: 4,
      file: 'test/engine/held.test.ts',
      before: "  ['a gap through the trigger meets the price behind it',",
      text: `  [
    'a touched buy goes out when the price falls to it',
    at({ 1: order('buy', 10, { type: 'marketIfTouched', stopPrice: 90 }) }),
    [100, 110, 91, 90, 80],
    ['buy 10 at 90'],
  ],
`,
    },
    {
      step: 4,
      file: 'test/engine/held.test.ts',
      after: "  [{ type: 'stop' }, 'a stop order needs a stopPrice'],\n",
      text: "  [{ type: 'marketIfTouched' }, 'a marketIfTouched order needs a stopPrice'],\n",
    },
    {
      step: 4,
      file: 'test/engine/held.test.ts',
      replace: "'type is market, limit, stop or stopLimit, not",
      text: "'type is market, limit, stop, stopLimit or marketIfTouched, not",
    },
    {
      step: 4,
      file: 'test/matching/tables/held.ts',
      before: "  {\n    title: 'stops: with latency a stop reached inside a bar",
      text: `  {
    title: 'touched: a buy fills at its trigger, where the path inside a bar falls to it',
    data: { bar: minuteBars(flat, [100, 101, 90, 92]) },
    steps: [{ at: 60, id: 'a', side: 'buy', type: 'marketIfTouched', stopPrice: 95 }],
    expect: ['120 a buy 1@95 taker'],
  },
`,
    },
    {
      step: 5,
      file: 'test/journal/arbitrary.ts',
      replace: "'stopLimit' as const)",
      text: "'stopLimit' as const, 'marketIfTouched' as const)",
    },
    {
      step: 6,
      file: 'docs/reference/strategy-api.md',
      replace: '`type` is `market`, `limit`, `stop` or `stopLimit` |',
      text: '`type` is `market`, `limit`, `stop`, `stopLimit` or `marketIfTouched` |',
    },
    {
      step: 6,
      file: 'docs/reference/strategy-api.md',
      replace: '| the trigger price of `stop` and `stopLimit` |',
      text: '| the trigger price of `stop`, `stopLimit` and `marketIfTouched` |',
    },
  ],
  tests: [
    { file: 'test/engine/held.test.ts', name: 'a touched buy|marketIfTouched' },
    { file: 'test/matching/conformance.test.ts', name: 'touched: a buy fills' },
    { file: 'test/journal/bot-journal.test.ts', name: 'every record is read back equal' },
  ],
};
