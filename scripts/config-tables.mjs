/** The tables of docs/config.md from the JSON Schema: one for each map, with key, meaning and default. */
export function configTables(schema) {
  const tables = [];
  collect(tables, '', schema);
  return tables
    .map(({ title, rows }) => [`### ${title}`, '', '| key | value | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n'))
    .join('\n');
}

/** A map's own table, then those of the maps in it. */
function collect(tables, path, schema) {
  const rows = [];
  tables.push({ title: path === '' ? 'Top level' : `\`${path}\``, rows });
  for (const [key, value] of Object.entries(schema.properties)) {
    const full = path === '' ? key : `${path}.${key}`;
    rows.push(`| \`${full}\` | ${type(value)} | ${fallback(key, value, schema)} | ${cell(value.description ?? '')} |`);
  }
  for (const [key, value] of Object.entries(schema.properties)) {
    const full = path === '' ? key : `${path}.${key}`;
    for (const [suffix, inner] of nested(value)) collect(tables, full + suffix, inner);
  }
}

function nested(value) {
  if (value.properties !== undefined) return [['', value]];
  if (value.items?.properties !== undefined) return [['[]', value.items]];
  if (value.additionalProperties?.properties !== undefined) return [['.<symbol>', value.additionalProperties]];
  return (value.anyOf ?? []).filter((option) => option.properties !== undefined).map((option) => ['', option]);
}

function type(value) {
  if (value.anyOf !== undefined) return [...new Set(value.anyOf.map(type))].join(', or ');
  if (value.enum !== undefined) return value.enum.map((option) => `\`${option}\``).join(', ');
  if (Array.isArray(value.type)) return 'decimal';
  if (value.type === 'array') return `list of ${value.items.properties === undefined ? type(value.items) : 'maps'}`;
  if (value.type === 'object') return value.properties === undefined && value.additionalProperties !== false ? mapType(value) : 'map';
  return { string: 'text', integer: 'whole number', number: 'number', boolean: '`true`, `false`' }[value.type];
}

function mapType({ propertyNames, additionalProperties }) {
  if (propertyNames?.pattern === undefined) return 'map';
  const key = propertyNames.pattern.includes('PERP') ? 'symbol' : 'asset';
  return Array.isArray(additionalProperties.type) ? `${key} to decimal` : `map by ${key}`;
}

function fallback(key, value, parent) {
  if (value.default === undefined) return (parent.required ?? parent['x-required'])?.includes(key) ? 'required' : '';
  const isMap = typeof value.default === 'object';
  return isMap ? '' : `\`${JSON.stringify(value.default)}\``;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
