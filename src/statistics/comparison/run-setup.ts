/** The kinds of settings of a run, in the order in which they are printed, with their names for readers. */
export const SETUP_KINDS = { parameters: 'parameter', config: 'config', code: 'code', data: 'data' } as const;
export type SetupKind = keyof typeof SETUP_KINDS;

/** The setup of a run: for each kind, texts by name. A kind that is unknown is absent. */
export interface RunSetup extends Readonly<Partial<Record<SetupKind, ReadonlyMap<string, string>>>> {
  /** The config sections of the modes are not compared, as a backtest and a bot always differ in them. */
  readonly mode: 'backtest' | 'bot';
}

/** A name whose texts differ between the runs; `undefined` where a run has none. */
export interface SetupDifference {
  readonly kind: SetupKind;
  readonly name: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** Sections of a config that only one mode reads. */
const OF_A_MODE = /^(backtest|paper|live|report)(\.|$)/;

/** The differences between the setups of two runs, and the kinds that one of them does not contain. */
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
        // A bot's journal contains less about the code, and only prices about its data.
        .filter((name) => !apart || (kind === 'code' ? ofA.has(name) && ofB.has(name) : !OF_A_MODE.test(name)))
        .sort()
        .map((name) => ({ kind, name, a: ofA.get(name), b: ofB.get(name) }))
    );
  });
  return { differences, unknown };
}

/** A name whose texts are not the same in all runs, with the text of each run in their order. */
export interface SetupRow extends Pick<SetupDifference, 'kind' | 'name'> {
  readonly values: readonly (string | undefined)[];
}

/** The differences between the setups of several runs, parameters first. A kind is left out if a run does not contain it. */
export function setupRows(setups: readonly RunSetup[]): SetupRow[] {
  const apart = new Set(setups.map(({ mode }) => mode)).size > 1;
  return (Object.keys(SETUP_KINDS) as SetupKind[]).flatMap((kind): SetupRow[] => {
    const known = setups.map((setup) => setup[kind]);
    if (known.some((texts) => texts === undefined)) return [];
    const names = [...new Set(known.flatMap((texts) => [...texts!.keys()]))].sort();
    return names
      .map((name) => ({ kind, name, values: known.map((texts) => texts!.get(name)) }))
      .filter(({ values }) => new Set(values).size > 1)
      .filter(({ name, values }) => !apart || (kind === 'code' ? !values.includes(undefined) : !OF_A_MODE.test(name)));
  });
}
