import { type WireType, wireField } from './wire-field.ts';

const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false };

const flagAs = (type: WireType) =>
  wireField<boolean>({
    type,
    expected: 'true or false',
    read: (wire) => (typeof wire === 'boolean' ? wire : typeof wire === 'string' && Object.hasOwn(WORDS, wire) ? WORDS[wire] : undefined),
    write: (value) => (type === 'string' ? String(value) : value),
    allows: (value) => typeof value === 'boolean',
  });

/** A JSON boolean; read from text too. */
export const flag = flagAs('boolean');
/** A boolean that the wire spells as the text `true` or `false`. */
export const flagText = flagAs('string');
