const address = new URL('docs/openapi.json', document.baseURI);
const spec = await fetch(address).then((response) => response.json());

// Requests go to the server that the page came from, also behind a proxy that adds a path.
for (const server of spec.servers) server.url = new URL(server.url, address).href;

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
