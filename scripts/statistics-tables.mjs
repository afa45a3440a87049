const HEAD = '| key | name | unit | meaning | formula | smallest sample |\n|---|---|---|---|---|---|';

/**
 * docs/reference/statistics.md with its tables anew: each stands between `<!-- statistics: GROUP ... -->` and `<!-- end -->`.
 * Throws where a group has no place in it.
 */
export function withStatisticsTables(text, definitions) {
  const placed = new Set();
  const page = text.replace(/(<!-- statistics: ([a-z ]+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, start, groups, end) => {
    const names = groups.split(' ');
    for (const name of names) placed.add(name);
    const rows = definitions.filter(({ group }) => names.includes(group)).map(rowOf);
    return `${start}${[HEAD, ...rows].join('\n')}\n${end}`;
  });
  const missing = definitions.find(({ group }) => !placed.has(group));
  if (missing !== undefined) throw new Error(`docs/reference/statistics.md has no table for the group ${missing.group}`);
  return page;
}

function rowOf({ key, label, unit, meaning, formula, smallestSample }) {
  const sample = smallestSample === undefined ? '' : `${smallestSample.count} ${smallestSample.of}`;
  return `| \`${key}\` | ${[label, unit, meaning, formula, sample].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
