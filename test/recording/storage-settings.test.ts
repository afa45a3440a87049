import { expect, test } from '@jest/globals';
import { hideSecrets } from '../../src/app/config/hide-secrets.ts';
import { storageSettings } from '../../src/recording/remote-storage.ts';

test('keys of the storage are taken from where strategies could find them, and still open recordings', () => {
  const environment: Record<string, string | undefined> = {
    AWS_ACCESS_KEY_ID: 'reader',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_REGION: 'eu-central-1',
  };
  hideSecrets(environment);
  expect(environment).toEqual({ AWS_REGION: 'eu-central-1' });
  expect(storageSettings(environment)).toMatchObject({ keyId: 'reader', secret: 'secret', sessionToken: 'token', region: 'eu-central-1' });
  // A second run in the same thread, whose environment holds none any more.
  hideSecrets(environment);
  expect(storageSettings(environment)).toMatchObject({ keyId: 'reader' });
});
