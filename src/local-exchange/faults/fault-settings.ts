import type { OperationName } from '../../exchange/operations/operation-table.ts';

/**
 * What may go wrong with a request. Before it acts: `drop` (it never arrives), `delay`, `tooMany` (429), `failBefore`
 * (5xx). Twice: `duplicate`. After it has acted: `dropReply`, `failAfter` (5xx), `malformed` (no JSON), `truncated`
 * (half of the body), `drip` (a few bytes at a time).
 */
export const FAULT_KINDS = [
  'drop',
  'delay',
  'tooMany',
  'failBefore',
  'duplicate',
  'failAfter',
  'malformed',
  'truncated',
  'dropReply',
  'drip',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultRule {
  readonly fault: FaultKind;
  /** By name; absent means all. */
  readonly operations?: readonly OperationName[] | undefined;
  /** Share of the requests that it befalls, drawn from the seed; default 1. */
  readonly chance?: number | undefined;
  /** Requests that pass first; default 0. */
  readonly after?: number | undefined;
  /** Requests that it befalls at most; default no limit. */
  readonly times?: number | undefined;
  /** Of `delay`: ms of the exchange's time, drawn between both; the request's own timestamp ages meanwhile. Of `drip`: ms between two pieces. */
  readonly ms?: readonly [least: number, most: number] | undefined;
}

export interface FaultSettings {
  readonly seed: number;
  readonly rules: readonly FaultRule[];
  /** Orders and fills show up in reads up to so many ms after they happened. */
  readonly visibilityLagMs: number;
  /** The server's clock is wrong by up to so many ms, by another amount each minute. */
  readonly clockSkewMs: number;
}

export const NO_FAULTS: FaultSettings = { seed: 1, rules: [], visibilityLagMs: 0, clockSkewMs: 0 };
