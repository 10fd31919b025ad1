/** Scopes per endpoint of web applications: what a kind of request allocates, what survives it, and for how long. */
package io.mayfly.endpoints;
