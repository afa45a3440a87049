import { Decimal } from '../../../../src/model/decimal.ts';
import { type FuturesOutcome, type FuturesRow, type FuturesStep, isCancel } from '../row.ts';

/** What the wire tells of a row beyond its outcome: the sums in the collateral, as amounts paid (of funding: gained). */
export interface WireOutcome extends FuturesOutcome {
  readonly sums: {
    readonly funding: string;
    readonly liquidationFee: string;
    /** Left out where positions are separated: one that is closed takes its collateral along, with what that paid. */
    readonly fillFee: string | undefined;
  };
  /** Where two operations told different things, or sums that did not add up. */
  readonly contradictions: readonly string[];
}

/**
 * Rows that operations 12 to 16 can say. Left out are:
 *
 * - bars: the exchange walks a bar as four prices, not by the paths of the fill rules;
 * - IOC, FOK, post-only: operation 13 has no word for them;
 * - orders from the next bar: an engine's, not an exchange's;
 * - orders without a trigger where triggers are not judged by the last price (the mark, a quote's two sides): what fires
 *   at once then is not what stands in the ticker.
 */
export function expressible({ data, steps, contract }: FuturesRow): boolean {
  const orders = steps.filter((step): step is FuturesStep => !isCancel(step));
  const byLast = data.quote === undefined && contract?.triggerBy !== 'mark';
  return (
    data.bar === undefined &&
    orders.every(({ trigger, timeInForce = 'GTC', postOnly = false, fromNextBar = false }) => {
      return timeInForce === 'GTC' && !postOnly && !fromNextBar && (byLast || trigger !== undefined);
    })
  );
}

/**
 * What a row expects, in the words of the wire: the events of one moment in no order, ends without why, orders that the
 * end of the run takes as left over.
 */
export function wireOutcome(row: FuturesRow): WireOutcome {
  const { takerFee = '0', makerFee = '0' } = row;
  const separated = row.margin?.separated === true;
  const fees = row.expect.map((line) => {
    const fill = / (\d+)@(\d+) (maker|taker)$/.exec(line);
    return fill === null ? 0 : new Decimal(fill[1]!).times(fill[2]!).times(fill[3] === 'taker' ? takerFee : makerFee);
  });
  return {
    events: row.expect.flatMap((line) => wireText(line, row) ?? []).sort(),
    total: row.total,
    frozen: row.frozen ?? '0',
    held: { long: 0, short: 0, ...row.held },
    insurance: row.insurance ?? '0',
    sums: {
      funding: sum(row.expect.map((line) => / funding \w+ (\S+)$/.exec(line)?.[1] ?? 0)),
      liquidationFee: sum(row.expect.map((line) => / liquidated .* (\S+)$/.exec(line)?.[1] ?? 0)),
      fillFee: separated ? undefined : sum(fees),
    },
    contradictions: [],
  };
}

/** @returns nothing for a trigger that the wire does not show: of a market order, or of one refused as it fires. */
function wireText(line: string, { steps, expect }: FuturesRow): string | undefined {
  const [seconds, id, what] = line.split(' ');
  switch (what) {
    case 'expired':
    case 'canceled':
    case 'rejected':
      return line.endsWith(' endOfRun') ? `${id} left` : `${seconds} ${id} ended`;
    case 'triggered': {
      const asked = steps.some((step) => !isCancel(step) && step.id === id && step.trigger !== undefined);
      const refused = expect.some((other) => other.startsWith(`${seconds} ${id} rejected`));
      return asked && !refused ? `${seconds} ${id} triggered` : undefined;
    }
    default:
      return line;
  }
}

function sum(amounts: readonly (Decimal | string | number)[]): string {
  return amounts.reduce<Decimal>((total, amount) => total.plus(amount), new Decimal(0)).toFixed();
}
