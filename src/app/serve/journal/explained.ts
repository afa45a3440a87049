import { Explanation } from '../api/journal-schemas.ts';
import type { Answer } from '../api/routes.ts';
import { ownProgram } from '../lists/own-program.ts';

/** The life of an order or intent, by `tidegate explain`: it reads the whole journal. @throws Refusal */
export async function explained(folder: string, id: string): Promise<Answer<'explain'>> {
  return Explanation.parse(await ownProgram(['explain'], [folder, id]));
}
