// The document as hey-api makes the types from it.
import {
  followed,
  isRecord,
  listOf,
  type Node,
  recordOf,
  schemaNameOf,
  schemasOf,
} from './document.ts';
import { escapeForHeyApi } from './dsl.ts';

/**
 * A copy of the document without the idempotency key, which is no input of an operation, and with
 * references to schemas only. Each property that is a reference has the description of its target,
 * because editors show it.
 */
export function typesDocument(document: Node): Record<string, unknown> {
  const { openapi, info, paths } = document;
  const schemas = copyOf(schemasOf(document), document);
  return { openapi, info, paths: copyOf(paths, document), components: { schemas } };
}

/**
 * Whether an integer may be beyond ±(2^53−1): neither its format, nor listed values, nor bounds
 * exclude that.
 */
export function isWide({ type, format, minimum, maximum, enum: values, const: only }: Node) {
  if (type !== 'integer' || format === 'int32') return false;
  if (values !== undefined || only !== undefined) return false;
  return ![minimum, maximum].every((bound) => Number.isSafeInteger(bound));
}

function copyOf(value: unknown, document: Node): unknown {
  if (typeof value === 'string') return escapeForHeyApi(value);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, document));
  if (!isRecord(value)) return value;
  const isReferenceToSchema = schemaNameOf(value.$ref) !== undefined;
  return copyOfObject(isReferenceToSchema ? value : followed(document, value), document);
}

function copyOfObject(object: Node, document: Node): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    if (key === 'properties') copy[key] = describedProperties(recordOf(value), document);
    else if (key === 'parameters') copy[key] = inputsOf(listOf(value), document);
    else copy[key] = copyOf(value, document);
  }
  return copy;
}

function inputsOf(parameters: readonly unknown[], document: Node): unknown[] {
  return parameters
    .filter((parameter) => followed(document, parameter)['x-idempotency-key'] !== true)
    .map((parameter) => withRange(recordOf(copyOf(parameter, document)), document));
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
    const own = recordOf(copyOf(property, document));
    const described = description === undefined ? own : { description, ...own };
    copy[escapeForHeyApi(name)] = described;
  }
  return copy;
}
