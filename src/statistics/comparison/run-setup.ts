/** The kinds of what a run is made of, in the order in which they are told, with what a reader calls them. */
export const SETUP_KINDS = { parameters: 'parameter', config: 'config', code: 'code', data: 'data' } as const;
export type SetupKind = keyof typeof SETUP_KINDS;

/** What a run was made of, each kind as texts by name; a kind that nothing tells of is absent. */
export interface RunSetup extends Readonly<Partial<Record<SetupKind, ReadonlyMap<string, string>>>> {
  /** A backtest and a bot are different by nature: the sections of their modes are not compared. */
  readonly mode: 'backtest' | 'bot';
}

/** A name whose text is not the same in both runs; `undefined` where a run has none. */
export interface SetupDifference {
  readonly kind: SetupKind;
  readonly name: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** Sections of a config that one mode alone reads. */
const OF_A_MODE = /^(backtest|paper|live|report)(\.|$)/;

/** What differs in how two runs were made, and the kinds of which one of them does not tell. */
export function compareSetups(a: RunSetup | undefined, b: RunSetup | undefined): { differences: SetupDifference[]; unknown: SetupKind[] } {
  const kinds = Object.keys(SETUP_KINDS) as SetupKind[];
  const unknown = kinds.filter((kind) => a?.[kind] === undefined || b?.[kind] === undefined);
  const differences = kinds.flatMap((kind): SetupDifference[] => {
    const [ofA, ofB] = [a?.[kind], b?.[kind]];
    if (ofA === undefined || ofB === undefined) return [];
    const apart = a!.mode !== b!.mode;
    return (
      [...new Set([...ofA.keys(), ...ofB.keys()])]
        .filter((name) => ofA.get(name) !== ofB.get(name))
        // A bot's journal tells less of the code, and its data by nothing but the prices.
        .filter((name) => !apart || (kind === 'code' ? ofA.has(name) && ofB.has(name) : !OF_A_MODE.test(name)))
        .sort()
        .map((name) => ({ kind, name, a: ofA.get(name), b: ofB.get(name) }))
    );
  });
  return { differences, unknown };
}
