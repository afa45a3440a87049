/** The strategies that `new strategy` copies from `templates` of the package: a class and a config each. */
export const TEMPLATES = ['trend', 'mean-reversion', 'market-maker', 'streams', 'futures', 'empty'] as const;
export type Template = (typeof TEMPLATES)[number];

/** The recording of the templates' configs, which `init` makes. */
export const SYNTHETIC = 'synthetic';
