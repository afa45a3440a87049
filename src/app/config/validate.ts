import type { z } from 'zod';
import { impliedSettings } from './implied-settings.ts';
import type { Complaint } from './reading/complaint.ts';
import { formatPath } from './reading/config-path.ts';
import { complaints } from './reading/issue-text.ts';
import { isSecretPath } from './reading/secret.ts';
import { crossRules } from './rules/cross-rules.ts';
import type { SoundSections } from './rules/sound-sections.ts';
import { type Config, ConfigSchema } from './schema/schema.ts';

export type Validation = { readonly config: Config } | { readonly complaints: readonly Complaint[] };

/**
 * Checks a plain value against the schema and the rules between settings; every complaint at once, one a setting.
 * @param lacking what is known to be missing: of these maps nothing more is said but of keys that do not belong there.
 */
export function validate(value: Record<string, unknown>, lacking: readonly Complaint[] = []): Validation {
  const input = impliedSettings(value);
  const result = ConfigSchema.safeParse(input);
  const own = result.success ? [] : complaints(result.error.issues, ConfigSchema, input).map(withoutSecret);
  const known = ({ path, aboutKey }: Complaint) => !aboutKey && lacking.some((one) => one.path.every((key, index) => key === path[index]));
  const others = [...own, ...crossRules(soundSections(input))].filter((complaint) => !known(complaint));
  const found = firstOfEach([...lacking, ...others]);
  return result.success && found.length === 0 ? { config: result.data } : { complaints: found };
}

function soundSections(input: Record<string, unknown>): SoundSections {
  const sections = Object.entries(ConfigSchema.shape).flatMap(([key, schema]): [string, unknown][] => {
    const result = (schema as z.ZodType).safeParse(input[key]);
    return result.success ? [[key, result.data]] : [];
  });
  return Object.fromEntries(sections) as SoundSections;
}

/** A complaint about a secret must not quote it. */
function withoutSecret(complaint: Complaint): Complaint {
  const inSecret = complaint.path.some((_, index) => isSecretPath(complaint.path.slice(0, index + 1)));
  return inSecret ? { ...complaint, message: complaint.message.replace(/, not .*$/s, '') } : complaint;
}

function firstOfEach(found: readonly Complaint[]): Complaint[] {
  const byPath = new Map<string, Complaint>();
  for (const complaint of found) {
    const key = formatPath(complaint.path);
    if (!byPath.has(key)) byPath.set(key, complaint);
  }
  return [...byPath.values()];
}
