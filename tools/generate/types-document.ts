// The document as hey-api makes the types from it.
import { followed, isRecord, listOf, type Node, recordOf, schemaNameOf } from './document.ts';

/**
 * A copy of the document without the idempotency key, which is no input of an operation, and with
 * references to schemas only. Each property that is a reference has the description of its target,
 * because editors show it.
 */
export function typesDocument(document: Node): Record<string, unknown> {
  const { openapi, info, paths, components } = document;
  const copy = copyOf({ paths, schemas: recordOf(components).schemas }, document);
  return { openapi, info, paths: copy.paths, components: { schemas: copy.schemas } };
}

/**
 * Whether an integer may be beyond the exact numbers: one of more than 32 bits without bounds
 * within them.
 */
export function isWide({ type, format, minimum, maximum, enum: values, const: only }: Node) {
  if (type !== 'integer' || format === 'int32') return false;
  if (values !== undefined || only !== undefined) return false;
  return ![minimum, maximum].every((bound) => Number.isSafeInteger(bound));
}

function copyOf(part: Node, document: Node): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(part)) {
    if (key === 'properties') copy[key] = describedProperties(recordOf(value), document);
    else if (key === 'parameters') copy[key] = inputsOf(listOf(value), document);
    else copy[key] = copyOfValue(value, document);
  }
  return copy;
}

function copyOfValue(value: unknown, document: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => copyOfValue(item, document));
  if (!isRecord(value)) return value;
  const isOther = typeof value.$ref === 'string' && schemaNameOf(value.$ref) === undefined;
  return copyOf(isOther ? followed(document, value) : value, document);
}

function inputsOf(parameters: readonly unknown[], document: Node): unknown[] {
  return parameters
    .filter((parameter) => followed(document, parameter)['x-idempotency-key'] !== true)
    .map((parameter) => withRange(recordOf(copyOfValue(parameter, document)), document));
}

/** A parameter whose description says its range and its default, where editors show them. */
function withRange(parameter: Record<string, unknown>, document: Node): Record<string, unknown> {
  const { minimum, maximum, default: usual } = followed(document, parameter.schema);
  const sentences = parameter.description === undefined ? [] : [String(parameter.description)];
  if (minimum !== undefined && maximum !== undefined)
    sentences.push(`From ${minimum} to ${maximum}.`);
  if (usual !== undefined) sentences.push(`Default: ${usual}.`);
  return sentences.length === 0 ? parameter : { ...parameter, description: sentences.join(' ') };
}

function describedProperties(properties: Node, document: Node): Node {
  const copy: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const { description } = followed(document, property);
    const own = recordOf(copyOfValue(property, document));
    copy[name] = description === undefined ? own : { description, ...own };
  }
  return copy;
}
