import type { Field, IdempotencyKey } from '@petstore/types';
import { defined, list, type Node, node, text } from './node.ts';
import { plain, type Schemas } from './schemas.ts';
import { isLocation, kindOf, serializationOf } from './serialization.ts';
import { type Stops, stop } from './stops.ts';

/** The parameters of an operation by name, those of its path included. */
export function parametersOf(
  path: Node,
  operation: Node,
  place: string,
  schemas: Schemas,
  stops: Stops,
): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const parameter of parameterNodes(path, operation, place, schemas, stops)) {
    const name = String(parameter.name);
    if (isIdempotencyKey(parameter)) continue;
    // OpenAPI ignores these parameters; media types and security define the headers.
    if (parameter.in === 'header' && /^(accept|content-type|authorization)$/i.test(name)) continue;
    const where = `${place}.parameters.${name}`;
    const other = fields.get(name)?.in;
    stops.try(() => {
      if (other !== undefined)
        stop(
          where,
          `'${name}' is a ${other} parameter and a ${parameter.in} parameter`,
          'rename one, because inputs stand side by side',
        );
      fields.set(name, fieldOf(parameter, where, schemas));
    });
  }
  return fields;
}

/** The parameters of the document; those of the operation override those of its path. */
function parameterNodes(path: Node, operation: Node, place: string, schemas: Schemas, stops: Stops): Iterable<Node> {
  const byPlace = new Map<string, Node>();
  for (const one of [...list(path.parameters), ...list(operation.parameters)]) {
    const parameter = stops.try(() => schemas.target(one, `${place}.parameters`));
    if (parameter) byPlace.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return byPlace.values();
}

const isIdempotencyKey = (parameter: Node) => parameter['x-idempotency-key'] === true;

/** The header of the idempotency key, which is not an input, because clients generate it. */
export function idempotencyKeyOf(
  path: Node,
  operation: Node,
  method: string,
  place: string,
  schemas: Schemas,
  stops: Stops,
): IdempotencyKey | undefined {
  const [parameter, other] = [...parameterNodes(path, operation, place, schemas, stops)].filter(isIdempotencyKey);
  if (!parameter) return undefined;
  const where = `${place}.parameters.${parameter.name}`;
  if (other) stop(where, `there is another idempotency key, '${other.name}'`, 'write one');
  if (parameter.in !== 'header') stop(where, `an idempotency key in '${parameter.in}'`, 'write in: header');
  if (parameter.required === true)
    stop(where, 'an idempotency key that is required', 'leave required out, because its callers may not repeat');
  if (/^(get|head|options|trace)$/.test(method))
    stop(where, `an idempotency key with ${method.toUpperCase()}`, 'remove it, because nothing is changed');
  const schema = plain(parameter.schema, `${where}.schema`);
  if ([...schemas.typesOf(schema)].join() !== 'string')
    stop(`${where}.schema`, 'an idempotency key that is no string', 'write type: string');
  return { header: String(parameter.name), description: text(parameter.description)?.trim() ?? '', schema };
}

function fieldOf(parameter: Node, where: string, schemas: Schemas): Field {
  const place = parameter.in;
  if (!isLocation(place)) stop(where, `a parameter in '${parameter.in}'`, 'write path, query, header or cookie');
  const [content, ...others] = Object.entries(node(parameter.content));
  if (others.length > 0) stop(where, 'a parameter with several media types', 'write one');
  const schema = plain(content ? node(content[1]).schema : parameter.schema, `${where}.schema`);
  const { description, deprecated, ...rules } = schemas.resolve(schema);
  const contentType = content?.[0];
  if (contentType !== undefined && kindOf(contentType, rules, schemas) !== 'json')
    stop(`${where}.content`, `a parameter as ${contentType}`, 'write application/json, or a schema and a style');
  return defined<Field>({
    in: place,
    required: parameter.required === true || place === 'path',
    description: text(parameter.description)?.trim() ?? description ?? '',
    deprecated: parameter.deprecated === true || deprecated ? true : undefined,
    contentType,
    ...(contentType === undefined && serializationOf(parameter, place, schema, where, schemas)),
    schema,
  });
}
