import { type InputFile, isObject } from './body.ts';
import { type Document, type MediaType, type Operation, type Parameter, resolve, type Schema } from './document.ts';
import { propertyNames, sample } from './sample.ts';
import { type Inputs, isIgnored } from './serialize.ts';
import { valueCheck } from './validate.ts';

/** No value was found that fits a schema. */
export class NoExampleError extends Error {
  override name = 'NoExampleError';
}

/** The number of alternatives of a schema that are tried. */
const VARIANTS = 6;

/** Valid inputs of a call, with what they show. */
export interface Example {
  label: string;
  inputs: Inputs;
}

/**
 * Returns valid inputs for an operation: only what is required; everything; and everything once more for each further
 * media type of the body. Values come from the document's own examples where these are valid.
 */
export function exampleInputs(document: Document, operation: Operation): Example[] {
  const offered = Object.keys(operation.body?.content ?? {});
  // `expectedBody` cannot write objects as XML, so XML is used only if nothing else is offered.
  const preferred = offered.filter((contentType) => !/[/+]xml$/.test(contentType));
  const [first, ...others] = preferred.length > 0 ? preferred : offered;
  const example = (label: string, isFull: boolean, contentType: string | undefined) => ({
    label,
    inputs: inputsOf(document, operation, isFull, contentType),
  });
  return [
    example('required', false, first),
    example('all', true, first),
    ...others.map((contentType) => example(contentType, true, contentType)),
  ];
}

/** Returns a valid value for a schema, or throws. Tries the `preferred` values first, and examples in the schema only if `isFull`. */
export function exampleValue(
  document: Document,
  schema: Schema,
  isFull: boolean,
  preferred: unknown[] = [],
  text = 'text',
): unknown {
  const fits = valueCheck(document);
  const { example, examples, default: defaultValue } = resolve(document, schema);
  const ofSchema = [example, ...(Array.isArray(examples) ? examples : []), defaultValue];
  const candidates = isFull ? [...preferred, ...ofSchema] : preferred;
  const documented = candidates.find((value) => value !== undefined && value !== null && fits(schema, value));
  // A document's example cannot hold the bytes of a file.
  if (documented !== undefined && !mayHoldFile(document, schema)) return documented;
  for (let variant = 0; variant < VARIANTS; variant++)
    for (const full of isFull ? [true, false] : [false]) {
      const value = sample(document, schema, { isFull: full, variant, text });
      const valid = [value, ...variationsOf(value, document, schema)].find((each) => fits(schema, each));
      if (valid !== undefined) return valid;
    }
  throw new NoExampleError(`No valid example was found for ${JSON.stringify(schema).slice(0, 200)}.`);
}

/**
 * Variations of an object, because the object itself may match two alternatives of a `oneOf`: each lacks one property, or has null
 * for a property of another alternative.
 */
function variationsOf(value: unknown, document: Document, schema: Schema): object[] {
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  const names = Array.from({ length: VARIANTS }, (_, variant) => propertyNames(document, schema, variant)).flat();
  const others = [...new Set(names)].filter((name) => !Object.hasOwn(value, name));
  return [
    ...entries.map((_, index) => Object.fromEntries(entries.toSpliced(index, 1))),
    ...others.map((name) => ({ ...value, [name]: null })),
  ];
}

function inputsOf(document: Document, operation: Operation, isFull: boolean, contentType: string | undefined): Inputs {
  const inputs: Inputs = {};
  for (const parameter of operation.parameters) {
    if (isIgnored(parameter) || !(isFull || parameter.required)) continue;
    const value = parameterValue(document, parameter, isFull || parameter.in === 'path');
    inputs[parameter.in] = { ...inputs[parameter.in], [parameter.name]: value };
  }
  const { body } = operation;
  if (!body || contentType === undefined || !(isFull || body.required)) return inputs;
  const media = resolve(document, body.content[contentType] ?? {});
  return { ...inputs, contentType, body: bodyValue(document, contentType, media, isFull) };
}

function parameterValue(document: Document, parameter: Parameter, isFull: boolean): unknown {
  const media = Object.values(parameter.content ?? {})[0];
  const schema = parameter.schema ?? media?.schema ?? {};
  // A path and a query can encode every character; a header cannot.
  const isEncoded = parameter.in === 'path' || parameter.in === 'query';
  const text = isFull && isEncoded && parameter.style !== 'spaceDelimited' ? 'a/b & é?' : 'text';
  return exampleValue(document, schema, isFull, examplesOf(document, parameter), text);
}

function bodyValue(document: Document, contentType: string, media: MediaType, isFull: boolean): unknown {
  const schema = media.schema ?? {};
  const isBytes = /^(application\/octet-stream|image\/|audio\/|video\/|application\/(zip|pdf))/.test(contentType);
  if (isBytes) return fileOf(contentType);
  if (/^text\//.test(contentType) && !media.schema) return 'text';
  return exampleValue(document, schema, isFull, examplesOf(document, media));
}

function fileOf(contentType: string): InputFile {
  const bytes = Uint8Array.from([0, 255, 13, 10, 128]);
  return contentType.includes('*') ? { bytes, type: contentType.replace('*', 'png') } : { bytes };
}

function examplesOf(document: Document, { example, examples = {} }: Parameter | MediaType): unknown[] {
  return [example, ...Object.values(examples).map((each) => resolve(document, each).value)];
}

function mayHoldFile(document: Document, schema: Schema, depth = 0): boolean {
  const { format, items, properties, allOf } = resolve(document, schema);
  if (depth > 4) return false;
  const below = [...(items ? [items] : []), ...Object.values(properties ?? {}), ...(allOf ?? [])];
  return format === 'binary' || below.some((each) => mayHoldFile(document, each, depth + 1));
}
