import { clockTrouble } from '../../live/planning/exchange-checks.ts';
import { type Check, failed, ok } from '../check.ts';

export const clockOffset: Check = {
  id: 'clock',
  title: "the clock is the exchange's",
  modes: ['live'],
  needs: ['spot', 'futures'],
  mend: 'let the clock be set (NTP)',
  async run({ exchange }) {
    const { offsetMs, trouble } = await clockTrouble(exchange);
    return trouble === undefined ? ok(`${Math.round(Math.abs(offsetMs))} ms apart`) : failed(trouble, 'let the clock be set (NTP)');
  },
};
