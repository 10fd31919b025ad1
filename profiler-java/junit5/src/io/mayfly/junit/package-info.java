/** Assertions about the heap as annotations of JUnit 5 tests. */
package io.mayfly.junit;
