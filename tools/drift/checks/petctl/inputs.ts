import { list, type Node, node, type Operation } from '../../openapi.ts';

/** An input of an operation as the spec describes it. */
export interface Input {
  name: string;
  location: 'path' | 'query' | 'header' | 'body';
  schema: Node;
  required: boolean;
  description: string;
}

/** Every parameter, and every property of the body. */
export function inputsOf(operation: Operation): Input[] {
  const parameters = list(operation.parameters)
    .map(node)
    .map(({ name, in: location, schema, required, description }) => ({
      name: String(name),
      location: location as Input['location'],
      schema: node(schema),
      required: required === true,
      description: String(description ?? node(schema).description ?? '').trim(),
    }));
  const [content] = Object.values(node(node(operation.requestBody).content));
  const body = node(node(content).schema);
  const properties = Object.entries(node(body.properties)).map(([name, schema]) => ({
    name,
    location: 'body' as const,
    schema: node(schema),
    required: list(body.required).includes(name),
    description: String(node(schema).description ?? '').trim(),
  }));
  return [...parameters, ...properties];
}

/** Values to try a parser with, and whether the spec allows each. */
export function samplesOf({ schema }: Input): [text: string, allowed: boolean][] {
  const { type, minimum, maximum } = schema;
  if (schema.enum)
    return [...list(schema.enum).map((one) => [String(one), true] as [string, boolean]), ['no such value', false]];
  if (type !== 'integer') return [];
  const samples: [string, boolean][] = [
    ['1e1', false],
    ['0x1', false],
  ];
  // As bigint, because numbers do not tell the integers beside the largest bounds apart.
  if (typeof minimum === 'number') samples.push([String(minimum), true], [String(BigInt(minimum) - 1n), false]);
  if (typeof maximum === 'number') samples.push([String(maximum), true], [String(BigInt(maximum) + 1n), false]);
  return samples;
}
