import { SILENT } from '../../backtest/silent-log.ts';
import { planBot } from '../../live/planning/plan-bot.ts';
import { type Check, ok, warning } from '../check.ts';

export const history: Check = {
  id: 'history',
  title: 'bars from before the start fill the indicators',
  modes: ['live'],
  needs: ['strategies'],
  mend: 'import newer bars into a recording of backtest.data, or set live.candles to true, or live.warmup to cold',
  async run({ loaded, mode }) {
    const { warnings, warmUp } = await planBot(loaded, mode as 'live', SILENT, { start: Date.now(), speed: 1 });
    if (warmUp !== undefined) return ok('the exchange is asked for candles at the start');
    return warnings.length > 0 ? warning(warnings.join('; '), 'import newer bars, or set live.candles to true') : ok('nothing is missing');
  },
};
