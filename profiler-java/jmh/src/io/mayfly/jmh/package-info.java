/** A profiler for JMH: what a benchmark allocates, and how long that lives. */
package io.mayfly.jmh;
