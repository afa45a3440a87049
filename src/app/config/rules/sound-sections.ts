import type { Config } from '../schema/schema.ts';

/** The sections of a config that are sound in themselves; rules about the others wait until they are. */
export type SoundSections = Partial<Config>;
