const base = new URL('.', document.baseURI);
const spec = await fetch(new URL('openapi.json', base)).then((response) => response.json());

// Requests go to the server that the page came from, also behind a proxy that adds a path.
spec.servers = [{ url: new URL('v1', base).href }];

// Swagger UI has dark colors, but applies them only with this class.
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const applyColors = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches);
prefersDark.addEventListener('change', applyColors);
applyColors();

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
