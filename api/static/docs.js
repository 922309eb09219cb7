// Starts Swagger UI. A file of its own, because the page allows no inline script.
const place = document.getElementById("swagger-ui");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  deepLinking: true,
  validatorUrl: null, // the public validator is somewhere else
  persistAuthorization: false,
});
