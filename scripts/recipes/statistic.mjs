/** The largest win as a share of all wins. */
export const STATISTIC = {
  title: 'Add a statistic',
  change: 'largestWinShare: how much of the profit comes from one trade',
  edits: [
    {
      step: 1,
      file: 'src/statistics/trades/trade-statistics.ts',
      before: "  {\n    key: 'wins',",
      text: `  {
    key: 'largestWinShare',
    label: 'Largest win, share',
    group: 'trade',
    unit: 'share',
    meaning: 'How much of the gross profit is from the best trade.',
    formula: 'largest net profit > 0 / sum of net profits > 0',
    smallestSample: WINS,
    compute: ({ wins }) => ratioOf(wins.mostProfit, wins.netProfit),
  },
`,
    },
    {
      step: 2,
      file: 'test/statistics/by-hand.test.ts',
      after: "    ['lossRate', 0.5],\n",
      text: "    // 20 / (10 + 20)\n    ['largestWinShare', expect.closeTo(2 / 3, 12)],\n",
    },
  ],
  writes: ['docs/reference/statistics.md'],
  tests: [
    { file: 'test/statistics/by-hand.test.ts', name: 'largestWinShare' },
    { file: 'test/statistics/documentation.test.ts', name: 'largestWinShare|no two statistics' },
  ],
};
