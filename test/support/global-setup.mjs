import { buildIfNeeded } from '../../scripts/tools.mjs';

/** Tests of the command line run the built program, as a user does. */
export default async function setup() {
  await buildIfNeeded();
}
