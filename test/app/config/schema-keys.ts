interface SchemaNode {
  readonly description?: string;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly propertyNames?: { readonly pattern?: string };
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** Every key of a JSON Schema by its path, `[]` for list items, `<symbol>` or `<id>` for free keys. */
export function schemaKeys(node: SchemaNode, path = ''): [path: string, node: SchemaNode][] {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, value]): [string, SchemaNode][] => {
    const full = path === '' ? key : `${path}.${key}`;
    return [[full, value], ...schemaKeys(value, full)];
  });
  const freeKey = node.propertyNames?.pattern?.includes('PERP') ? '<symbol>' : '<id>';
  const free = typeof node.additionalProperties === 'object' ? schemaKeys(node.additionalProperties, `${path}.${freeKey}`) : [];
  return [
    ...own,
    ...free,
    ...(node.items ? schemaKeys(node.items, `${path}[]`) : []),
    ...(node.anyOf ?? []).flatMap((option) => schemaKeys(option, path)),
  ];
}
