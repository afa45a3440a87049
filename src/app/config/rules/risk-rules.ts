import { aboutKey, type Complaint } from '../reading/complaint.ts';
import type { ConfigPath } from '../reading/config-path.ts';
import { suggestion } from '../reading/nearest.ts';
import type { SoundSections } from './sound-sections.ts';

/** Limits name instruments and strategies of the config. */
export function riskRules({ risk, instruments, strategies }: SoundSections): Complaint[] {
  if (risk === undefined) return [];
  const symbols = Object.keys(instruments ?? {});
  const positions: [path: ConfigPath, limits: object][] = [
    [['risk', 'positions'], risk.positions],
    ...Object.entries(risk.strategies).map(([id, own]): [ConfigPath, object] => [['risk', 'strategies', id, 'positions'], own.positions]),
  ];
  const ids = (strategies ?? []).map(({ id }) => id);
  return [
    ...positions.flatMap(([path, limits]) => unknown(path, limits, symbols, 'instrument')),
    ...unknown(['risk', 'strategies'], risk.strategies, ids, 'strategy'),
  ];
}

/** Nothing is known while the section that would name it has errors of its own. */
function unknown(path: ConfigPath, named: object, known: readonly string[], what: string): Complaint[] {
  if (known.length === 0) return [];
  return Object.keys(named)
    .filter((name) => !known.includes(name))
    .map((name) => aboutKey([...path, name], `no such ${what}${suggestion(name, known)}`));
}
