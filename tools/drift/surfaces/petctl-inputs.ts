import { list, type Node, node, type Operation } from '../future/spec.ts';

/** One input of an operation as the spec describes it. */
export interface Input {
  name: string;
  place: 'path' | 'query' | 'header' | 'body';
  schema: Node;
  required: boolean;
  description: string;
}

/** Every parameter and every member of the body. */
export function inputsOf(operation: Operation): Input[] {
  const parameters = list(operation.parameters)
    .map(node)
    .map(({ name, in: place, schema, required, description }) => ({
      name: String(name),
      place: place as Input['place'],
      schema: node(schema),
      required: required === true,
      description: String(description ?? node(schema).description ?? '').trim(),
    }));
  const [content] = Object.values(node(node(operation.requestBody).content));
  const body = node(node(content).schema);
  const members = Object.entries(node(body.properties)).map(([name, schema]) => ({
    name,
    place: 'body' as const,
    schema: node(schema),
    required: list(body.required).includes(name),
    description: String(node(schema).description ?? '').trim(),
  }));
  return [...parameters, ...members];
}

/** Values to try a parser with, and whether the spec allows each. */
export function probes({ schema }: Input): [text: string, allowed: boolean][] {
  const { type, minimum, maximum } = schema;
  if (schema.enum)
    return [...list(schema.enum).map((one) => [String(one), true] as [string, boolean]), ['no such choice', false]];
  if (type !== 'integer') return [];
  const found: [string, boolean][] = [
    ['1e1', false],
    ['0x1', false],
  ];
  if (typeof minimum === 'number') found.push([String(minimum), true], [below(minimum), false]);
  if (typeof maximum === 'number') found.push([String(maximum), true], [above(maximum), false]);
  return found;
}

/** The integers beside a bound, also where numbers cannot tell them apart. */
const below = (bound: number) => String(BigInt(bound) - 1n);
const above = (bound: number) => String(BigInt(bound) + 1n);
