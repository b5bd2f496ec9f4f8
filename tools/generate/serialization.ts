import { type BodyKind, type Field, isBinary, type Schema, type Serialization } from '@petstore/types';
import { defined, type Node, reject, text } from './document.ts';
import type { Schemas } from './schemas.ts';

type ParameterLocation = Exclude<Field['in'], 'body'>;

const styles: Readonly<Record<ParameterLocation, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** Whether parameters can be in this location. */
export function isLocation(location: unknown): location is ParameterLocation {
  return typeof location === 'string' && Object.hasOwn(styles, location);
}

/** The parts of a parameter's serialization that are not the default. Throws a SpecError for a serialization that OpenAPI does not define. */
export function serializationOf(
  declared: Node,
  location: ParameterLocation,
  schema: Schema,
  at: string,
  schemas: Schemas,
): Serialization {
  const defaultStyle = location === 'path' || location === 'header' ? 'simple' : 'form';
  const style = text(declared.style) ?? defaultStyle;
  if (!styles[location].includes(style))
    reject(at, `style '${style}' does not exist in ${location}`, `use ${styles[location].join(' or ')}`);
  const explode = typeof declared.explode === 'boolean' ? declared.explode : style === 'form';
  if (!schemas.isFlat(schema))
    reject(at, `style '${style}' cannot express a nested list or object`, 'use content: application/json');
  const types = schemas.typesOf(schema);
  const isListOrObject = types.has('array') || types.has('object');
  if (style === 'deepObject' && types.has('array') && !types.has('object'))
    reject(at, "OpenAPI does not define a list with style 'deepObject'", 'write style: form');
  if (style.endsWith('Delimited') && explode)
    reject(at, `OpenAPI does not define style '${style}' with explode: true`, 'write explode: false, or style: form');
  if (location === 'cookie' && explode && isListOrObject)
    reject(at, 'OpenAPI does not define an exploded list or object in a cookie', 'write explode: false');
  const hasStyle = style !== defaultStyle && (isListOrObject || location === 'path');
  const hasExplode = explode !== (style === 'form') && isListOrObject && style !== 'deepObject';
  return defined<Serialization>({
    style: hasStyle ? (style as NonNullable<Serialization['style']>) : undefined,
    explode: hasExplode ? explode : undefined,
    allowReserved: declared.allowReserved === true && location === 'query' ? true : undefined,
  });
}

/** The kind of a body by its media type; undefined for an unsupported media type. */
export function kindOf(mediaType: string, schema: Schema, schemas: Schemas): BodyKind | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const isText = [...schemas.typesOf(schema)].every((jsonType) => jsonType === 'string' || jsonType === 'null');
  const isEmpty = Object.keys(schema).every((key) => key === 'description');
  if (isJson(mediaType)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  if (type.startsWith('multipart/')) return undefined;
  if (isBinary(schema)) return isText || schema.type === undefined ? 'bytes' : undefined;
  if (/^text\/|xml$|yaml$|^application\/(jwt|graphql)$/.test(type)) return isText || isEmpty ? 'text' : undefined;
  return isText || isEmpty ? 'bytes' : undefined;
}

/** Whether a media type is JSON. */
export function isJson(mediaType: string): boolean {
  return /^((application|text)\/json|[^;]*\+json)(;|$)/i.test(mediaType);
}
