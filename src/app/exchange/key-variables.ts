/** The environment variables that hold keys. */
export const KEY_VARIABLES = { key: 'TIDEGATE_API_KEY', secret: 'TIDEGATE_API_SECRET', passphrase: 'TIDEGATE_API_PASSPHRASE' } as const;
