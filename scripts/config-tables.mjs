/** Keys that a backtest may leave out where the instruments file of its recording has them. */
const OPTIONAL_IN_BACKTESTS = /^instruments(\.<symbol>\.(tickSize|stepSize))?$/;
/** Keys that only a backtest requires. */
const REQUIRED_IN_BACKTESTS = ['backtest', 'backtest.data'];

/** The tables of docs/reference/config.md from the JSON Schema: one for each map, with key, meaning and default. */
export function configTables(schema) {
  const tables = [];
  collect(tables, '', '', schema);
  return tables
    .map(({ title, rows }) => [`### ${title}`, '', '| key | value | default | meaning |', '|---|---|---|---|', ...rows, ''].join('\n'))
    .join('\n');
}

/** A map's own table, then those of the maps in it. `variant` names one of several maps that a key may have. */
function collect(tables, path, variant, schema) {
  const rows = [];
  tables.push({ title: path === '' ? 'Top level' : `\`${path}\`${variant}`, rows });
  for (const [key, value] of Object.entries(schema.properties)) {
    const full = path === '' ? key : `${path}.${key}`;
    rows.push(`| \`${full}\` | ${type(value)} | ${fallback(full, key, value, schema)} | ${cell(value.description ?? '')} |`);
  }
  for (const [key, value] of Object.entries(schema.properties)) {
    const full = path === '' ? key : `${path}.${key}`;
    for (const [suffix, innerVariant, inner] of nested(value)) collect(tables, full + suffix, innerVariant, inner);
  }
}

function nested(value) {
  if (value.properties !== undefined) return [['', '', value]];
  if (value.items?.properties !== undefined) return [['[]', '', value.items]];
  if (value.additionalProperties?.properties !== undefined) {
    return [[isBySymbol(value) ? '.<symbol>' : '.<id>', '', value.additionalProperties]];
  }
  const maps = (value.anyOf ?? []).filter((option) => option.properties !== undefined);
  return maps.map((option) => ['', maps.length > 1 ? ` with \`${Object.keys(option.properties)[0]}\`` : '', option]);
}

const isBySymbol = ({ propertyNames }) => propertyNames?.pattern?.includes('PERP') === true;

function type(value) {
  if (value.anyOf !== undefined) return [...new Set(value.anyOf.map(type))].join(', or ');
  if (value.enum !== undefined) return value.enum.map((option) => `\`${option}\``).join(', ');
  if (Array.isArray(value.type)) return value.pattern === undefined && value.allOf === undefined ? 'date or epoch ms' : 'decimal';
  if (value.type === 'array') return `list of ${value.items.properties === undefined ? type(value.items) : 'maps'}`;
  if (value.type === 'object') return value.properties === undefined && value.additionalProperties !== false ? mapType(value) : 'map';
  return { string: 'text', integer: 'whole number', number: 'number', boolean: '`true`, `false`' }[value.type];
}

function mapType(value) {
  const { propertyNames, additionalProperties } = value;
  if (propertyNames?.pattern === undefined) return additionalProperties?.properties === undefined ? 'map' : 'map by id';
  const key = isBySymbol(value) ? 'symbol' : additionalProperties.properties === undefined ? 'asset' : 'id';
  return Array.isArray(additionalProperties.type) ? `${key} to decimal` : `map by ${key}`;
}

function fallback(path, key, value, parent) {
  if (REQUIRED_IN_BACKTESTS.includes(path)) return 'required in backtests';
  if (value.default === undefined) {
    if (!(parent.required ?? parent['x-required'])?.includes(key)) return '';
    return OPTIONAL_IN_BACKTESTS.test(path) ? 'required in paper and live' : 'required';
  }
  const isMap = typeof value.default === 'object';
  return isMap ? '' : `\`${JSON.stringify(value.default)}\``;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
