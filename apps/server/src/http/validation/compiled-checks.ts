import { createRequire } from 'node:module';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { MAX_EXPLAINED_DEPTH, MAX_EXPLAINED_VALUES } from '../../limits.ts';
import type { Operation } from '../../old.ts';
import type { RequestValues } from '../input.ts';
import { type AjvKeywords, adaptedSpec, addRequestKeywords, nameOf } from './keywords.ts';
import { type AjvError, type Violation, violationOf } from './violation.ts';

/** The methods of ajv for compiled checks. */
export interface Ajv extends AjvKeywords {
  getSchema(name: string): Compiled | undefined;
  addSchema(schema: { $id?: string; paths?: object; components?: object }, name: string): unknown;
}

interface Compiled {
  (request: RequestValues): boolean;
  errors?: AjvError[] | null;
}

interface RequestValidator {
  ajv: Ajv;
  ajvBody: Ajv;
  buildMiddleware(route: string, described: object, contentType: object, name: string): unknown;
}

/** Options of ajv: tuples may have any length, 19.99 is a multiple of 0.01, and ajv logs nothing. */
export const AJV_OPTIONS = { strictTuples: false, multipleOfPrecision: 9, logger: false };

/** Loads a module that the validator does not export. */
export const load = (module: string) => createRequire(import.meta.url)(`express-openapi-validator/dist/${module}.js`);
const { OpenApiValidator } = load('openapi.validator') as {
  OpenApiValidator: new (options: object) => { ajvOpts: Record<'preprocessor' | 'request' | 'response', object> };
};
const { SchemaPreprocessor } = load('middlewares/parsers/schema.preprocessor') as {
  SchemaPreprocessor: new (
    spec: object,
    options: object,
    validateResponses: boolean,
  ) => { preProcess(): { apiDocRes: OpenAPIV3.DocumentV3_1 | null } };
};
const { RequestValidator } = load('middlewares/openapi.request.validator') as {
  RequestValidator: new (spec: object, options: object) => RequestValidator;
};
const { createRequestAjv } = load('framework/ajv/index') as { createRequestAjv(spec: object, options: object): Ajv };
const { ContentType } = load('middlewares/util') as {
  ContentType: { fromString(type: string | undefined): object };
};

/** The spec for the checks of requests, the spec for the checks of responses (if `validateResponses`), and the options of ajv. */
export function prepareSpec(spec: object, validateResponses: boolean) {
  const apiDoc = adaptedSpec(spec);
  // The default mode of formats accepts the date 2023-02-29.
  const ajvFormats = { mode: 'full' };
  const options = { apiSpec: apiDoc, validateResponses, validateSecurity: false, fileUploader: false, ajvFormats };
  const { ajvOpts } = new OpenApiValidator(options);
  // This changes `apiDoc`.
  const { apiDocRes } = new SchemaPreprocessor(apiDoc, ajvOpts.preprocessor, validateResponses).preProcess();
  return { apiDoc, apiDocRes, ajvOpts };
}

/** Finds all violations of a small request; of any other, at most one in the parameters and one in the body. None if it is valid. */
export function requestCheck(apiDoc: OpenAPIV3.DocumentV3_1, options: object) {
  // Errors can cost far more than the bytes that cause them, so only small requests are searched for all errors.
  const first = checkCompiler(apiDoc, { ...options, allErrors: false });
  let all: typeof first | undefined;
  return (operation: Operation, request: RequestValues): Violation[] => {
    let errors = first.errorsIn(operation, request);
    if (errors.length > 0 && isSmall(request)) {
      all ??= checkCompiler(apiDoc, { ...options, allErrors: true });
      errors = all.errorsIn(operation, request);
    }
    return errors.map(violationOf);
  };
}

/** Creates the validator's compiler for the checks of requests. The checks of an operation are compiled at their first use. */
export function checkCompiler(apiDoc: OpenAPIV3.DocumentV3_1, options: object) {
  // The schemas were validated when the code was generated.
  const ajvOptions = { ...options, ...AJV_OPTIONS, meta: false };
  const validator = new RequestValidator(apiDoc, ajvOptions);
  // The default compiler coerces types: it accepts the text '5' as a number.
  validator.ajv = createRequestAjv(apiDoc, ajvOptions);
  const { ajv, ajvBody } = validator;
  for (const compiler of [ajv, ajvBody]) {
    addRequestKeywords(compiler);
    shareComponents(compiler);
  }
  const compile = (operation: Operation) => {
    const name = nameOf(operation);
    if (!ajv.getSchema(name)) {
      // The middleware itself is not used. Building it adds the schemas of the operation under this name.
      const contentType = ContentType.fromString(operation.body?.mediaType);
      validator.buildMiddleware(operation.path, operationObjectIn(apiDoc, operation), contentType, name);
    }
    return [ajv.getSchema(name), ajvBody.getSchema(name)] as [parameters: Compiled, body: Compiled];
  };
  const errorsIn = (operation: Operation, request: RequestValues): AjvError[] => {
    const [parameters, body] = compile(operation);
    return [
      ...(parameters(request) ? [] : (parameters.errors ?? [])),
      ...(request.body === undefined || body(request) ? [] : (body.errors ?? [])),
    ];
  };
  return { ajv, ajvBody, compile, errorsIn };
}

/** Omits `paths` and `components` from the schema of each operation, because ajv would store a copy per operation. */
function shareComponents(ajv: Ajv): void {
  const add = ajv.addSchema.bind(ajv);
  // The validator has added each component as `#/components/schemas/…`. With this `$id`, references resolve to these names.
  ajv.addSchema = ({ paths, components, ...schema }, name) => add({ ...schema, $id: '#' }, name);
}

/** The operation object of the spec. */
export function operationObjectIn({ paths }: OpenAPIV3.DocumentV3_1, { path, method }: Operation) {
  const item = paths?.[path];
  return item?.[method.toLowerCase() as 'get'] as OpenAPIV3.OperationObject;
}

/** Whether a request has so few values and levels that finding every error is cheap. */
function isSmall({ query, params, headers, cookies, body }: RequestValues): boolean {
  let left = MAX_EXPLAINED_VALUES;
  const fits = (value: unknown, depth: number): boolean => {
    if (--left < 0 || depth > MAX_EXPLAINED_DEPTH) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.values(value).every((element) => fits(element, depth + 1));
  };
  return [query, params, headers, cookies, body].every((part) => fits(part, 0));
}
