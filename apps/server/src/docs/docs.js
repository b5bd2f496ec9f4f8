// Loads the spec into the page. Requests go to the server that the page came from, also behind a proxy that adds a path.
const base = new URL('.', document.baseURI);
const response = await fetch(new URL('openapi.json', base));
const spec = JSON.parse(await response.text(), withoutExampleOfKey);
const { basePath } = document.getElementById('docs').dataset;
spec.servers = [{ url: base.href.slice(0, -1) + basePath }];

// Swagger UI applies its dark colors only with this class.
if (matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.add('dark-mode');

window.SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  showCommonExtensions: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});

/** An idempotency key belongs to one request, so the page must not fill in the same one for everybody. */
function withoutExampleOfKey(_name, value) {
  if (value?.['x-idempotency-key'] === true) delete value.example;
  return value;
}
