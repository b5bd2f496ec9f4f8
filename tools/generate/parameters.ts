import type { Field, IdempotencyKey } from '@petstore/types';
import { defined, type ErrorCollector, list, type Node, node, reject, text } from './document.ts';
import { plain, type Schemas } from './schemas.ts';
import { isLocation, kindOf, serializationOf } from './serialization.ts';

/** The parameters of an operation by name, those of its path included. */
export function parametersOf(
  path: Node,
  operation: Node,
  at: string,
  schemas: Schemas,
  errors: ErrorCollector,
): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const parameter of parameterNodes(path, operation, at, schemas, errors)) {
    const name = String(parameter.name);
    if (isIdempotencyKey(parameter)) continue;
    // OpenAPI ignores these parameters; media types and security define the headers.
    if (parameter.in === 'header' && /^(accept|content-type|authorization)$/i.test(name)) continue;
    const parameterAt = `${at}.parameters.${name}`;
    const other = fields.get(name)?.in;
    errors.try(() => {
      if (other !== undefined)
        reject(
          parameterAt,
          `'${name}' is both a ${other} parameter and a ${parameter.in} parameter`,
          'rename one, because all inputs are properties of one object',
        );
      fields.set(name, fieldOf(parameter, parameterAt, schemas));
    });
  }
  return fields;
}

/** The parameters of the document; those of the operation override those of its path. */
function parameterNodes(
  path: Node,
  operation: Node,
  at: string,
  schemas: Schemas,
  errors: ErrorCollector,
): Iterable<Node> {
  const byKey = new Map<string, Node>();
  for (const one of [...list(path.parameters), ...list(operation.parameters)]) {
    const parameter = errors.try(() => schemas.target(one, `${at}.parameters`));
    if (parameter) byKey.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return byKey.values();
}

const isIdempotencyKey = (parameter: Node) => parameter['x-idempotency-key'] === true;

/** The header of the idempotency key, which is not an input, because clients generate it. */
export function idempotencyKeyOf(
  path: Node,
  operation: Node,
  method: string,
  at: string,
  schemas: Schemas,
  errors: ErrorCollector,
): IdempotencyKey | undefined {
  const [parameter, other] = [...parameterNodes(path, operation, at, schemas, errors)].filter(isIdempotencyKey);
  if (!parameter) return undefined;
  const parameterAt = `${at}.parameters.${parameter.name}`;
  if (other) reject(parameterAt, `a second idempotency key, '${other.name}'`, 'keep one');
  if (parameter.in !== 'header') reject(parameterAt, `an idempotency key in '${parameter.in}'`, 'write in: header');
  if (parameter.required === true)
    reject(
      parameterAt,
      'an idempotency key that is required',
      'make it optional, because callers may do without retries',
    );
  if (/^(get|head|options|trace)$/.test(method))
    reject(
      parameterAt,
      `an idempotency key with ${method.toUpperCase()}`,
      'remove it, because this method changes nothing',
    );
  const schema = plain(parameter.schema, `${parameterAt}.schema`);
  if ([...schemas.typesOf(schema)].join() !== 'string')
    reject(`${parameterAt}.schema`, 'an idempotency key that is not a string', 'write type: string');
  return { header: String(parameter.name), description: text(parameter.description)?.trim() ?? '', schema };
}

function fieldOf(parameter: Node, at: string, schemas: Schemas): Field {
  const location = parameter.in;
  if (!isLocation(location)) reject(at, `a parameter in '${parameter.in}'`, 'write path, query, header or cookie');
  const [content, ...others] = Object.entries(node(parameter.content));
  if (others.length > 0) reject(at, 'a parameter with several media types', 'keep one');
  const schema = plain(content ? node(content[1]).schema : parameter.schema, `${at}.schema`);
  const { description, deprecated, ...rules } = schemas.resolve(schema);
  const contentType = content?.[0];
  if (contentType !== undefined && kindOf(contentType, rules, schemas) !== 'json')
    reject(`${at}.content`, `a parameter as ${contentType}`, 'write application/json, or a schema and a style');
  return defined<Field>({
    in: location,
    required: parameter.required === true || location === 'path',
    description: text(parameter.description)?.trim() ?? description ?? '',
    deprecated: parameter.deprecated === true || deprecated ? true : undefined,
    contentType,
    ...(contentType === undefined && serializationOf(parameter, location, schema, at, schemas)),
    schema,
  });
}
