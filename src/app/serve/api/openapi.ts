import { z } from 'zod';
import { Problem } from './access-schemas.ts';
import { EVENTS, ROUTES, type Route } from './routes.ts';

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' });
  return rest;
};

/** The OpenAPI 3.1 document of all routes, made of their declaration. @param basePath the path below which they are served. */
export function openApi(version: string, basePath: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, route] of Object.entries<Route>(ROUTES)) {
    const { method, path } = route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(operationId, route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidegate', version, description: 'Amounts are decimal text, times epoch ms.' },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: 'tidegate' } },
      schemas: {
        Problem: schemaOf(Problem, 'output'),
        // OpenAPI has no form for events: these are the data of each.
        ...Object.fromEntries(Object.entries(EVENTS).map(([name, schema]) => [`event-${name}`, schemaOf(schema, 'output')])),
      },
    },
  };
}

function operation(operationId: string, { path, role, summary, query, body, answer }: Route): Record<string, unknown> {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const inQuery = Object.entries((query === undefined ? {} : (schemaOf(query, 'input').properties ?? {})) as object).map(
    ([name, schema]) => ({ name, in: 'query', required: false, schema: schema as object }),
  );
  const content =
    typeof answer === 'string'
      ? { [answer]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemaOf(answer, 'output') } };
  return {
    operationId,
    summary,
    ...(role === 'anyone' ? { security: [] } : { security: [{ token: [] }, { session: [] }], description: `Role: ${role}` }),
    parameters: [...inPath, ...inQuery],
    ...(body !== undefined && { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: {
      200: { description: summary, content },
      default: { description: 'A problem', content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } } },
    },
  };
}
