import { type Operation, typeIn } from '@petstore/types';

/** Examples of raw requests: a list of the interface with a query, and a creation with its required fields. */
export function apiExamples(operations: readonly Operation[]): [line: string, does: string][] {
  const plain = operations.filter(({ path }) => !path.includes('{'));
  const examples: [string, string][] = [];
  const list = plain.find(({ method }) => method === 'GET');
  if (list) {
    const [query] = fieldsOf(list, ({ in: location }) => location === 'query');
    examples.push([`GET ${list.path}${query ?? ''}`, query ? 'With a query' : 'Without any input']);
  }
  const creation = plain.find(({ method, body }) => method === 'POST' && body?.kind === 'json');
  if (creation) {
    const body = fieldsOf(creation, ({ in: location, required }) => location === 'body' && required).join('');
    if (body !== '') examples.push([`POST ${creation.path}${body}`, 'With a body; := takes JSON']);
    examples.push([`POST ${creation.path} --input body.json`, 'With a body from a file']);
  }
  return examples;
}

type Field = Operation['fields'][string];

/** The fields as they are given on the command line, each with a value that shows what it is. */
function fieldsOf({ fields }: Operation, isWanted: (field: Field) => boolean): string[] {
  return Object.entries(fields)
    .filter(([, field]) => isWanted(field))
    .map(([name, { in: location, schema }]) => {
      const value = schema.default ?? schema.enum?.[0];
      const number = Math.max(1, schema.minimum ?? 1);
      switch (typeIn(schema)) {
        case 'string':
          return ` -f ${name}=${value ?? `a-${name}`}`;
        case 'integer':
        case 'number':
          return location === 'query' ? ` -f ${name}=${value ?? number}` : ` -f '${name}:=${value ?? number}'`;
        case 'boolean':
          return ` -f '${name}:=true'`;
        default:
          return ` -f '${name}:=${typeIn(schema) === 'array' ? '[]' : '{}'}'`;
      }
    });
}
